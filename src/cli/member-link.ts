import { Command } from 'commander'
import { readSetting } from '../config.ts'
import { LINK_MINUTES, makeSignInLink } from '../settings/sign-in-link.ts'
import { urlOf } from './listen.ts'
import { actor, operate } from './operate.ts'
import { say } from './outcome.ts'
import { print } from './output.ts'

interface Options {
  email: string
  workspace?: string
}

export const memberLinkCommand = () =>
  new Command('link')
    .description(`print a link that signs a member in to the settings page, once, within ${LINK_MINUTES} minutes`)
    .requiredOption('--email <address>', 'the member')
    .option('--workspace <slug>', 'where the link leads (the first of their workspaces, if left out)')
    .action(async ({ email, workspace }: Options) => {
      const wish = { email, workspace }
      const facts = { baseUrl: settingsUrl(), actor: actor() }
      print(await operate((store) => makeSignInLink(store, wish, facts)))
      say(`It works once, for ${LINK_MINUTES} minutes. Give it to ${email} alone.`)
    })

/** Where the server is reached, going by the settings that it would start with. */
function settingsUrl(): string {
  const publicUrl = readSetting(process.env, 'PUBLIC_URL')
  if (publicUrl !== '') return publicUrl
  return urlOf(readSetting(process.env, 'HOST'), readSetting(process.env, 'PORT'))
}
