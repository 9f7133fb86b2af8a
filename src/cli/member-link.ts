import { Command } from 'commander'
import { readSetting } from '../config.ts'
import { checkedEmail } from '../members/members.ts'
import { createSignInLink, LINK_MINUTES } from '../members/sign-in-link.ts'
import { signInLinkUrl } from '../web/paths.ts'
import { actor, type Context } from './context.ts'
import { urlOf } from './listen.ts'
import { printMessage, printSecret } from './output.ts'

interface Options {
  email: string
  workspace?: string
  json?: true
}

export const command = ({ withStore }: Context) =>
  new Command('link')
    .description(`print a link that signs a member in to the settings page, once, within ${LINK_MINUTES} minutes`)
    .requiredOption('--email <address>', 'the member')
    .option('--workspace <slug>', 'where the link leads (the first of their workspaces, if left out)')
    .option('--json', 'print the link, and for how long it works, as JSON')
    .action(async ({ email, workspace, json }: Options) => {
      const baseUrl = settingsUrl()
      checkedEmail(email)
      const token = await withStore((store) => createSignInLink(store, { email, workspace }, { actor: actor() }))
      const link = signInLinkUrl(baseUrl, token)
      const advice = 'it works all the same, for whoever has it, until it ends; ask for another'
      if (json) return printSecret(JSON.stringify({ link, email, expiresInSeconds: LINK_MINUTES * 60 }), advice)
      printSecret(link, advice)
      printMessage(`It works once, for ${LINK_MINUTES} minutes. Give it to ${email} alone.`)
    })

/** Where the server is reached, going by the settings that it would start with. */
function settingsUrl(): string {
  const publicUrl = readSetting(process.env, 'PUBLIC_URL')
  if (publicUrl !== '') return publicUrl
  return urlOf(readSetting(process.env, 'HOST'), readSetting(process.env, 'PORT'))
}
