import { Command } from 'commander'
import { readSetting } from '../config.ts'
import { checkedEmail } from '../members/members.ts'
import { createSignInLink, LINK_MINUTES } from '../members/sign-in-link.ts'
import { signInLinkUrl } from '../web/paths.ts'
import { actor, type Context } from './context.ts'
import { localUrl } from './listen.ts'
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
    .option('--workspace <slug>', 'the workspace that it opens (default: the first of theirs)')
    .option('--json', 'print the link and how long it works as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  vitrine member link --email ines@northwind.example\n  vitrine member link --email ines@northwind.example --workspace northwind',
    )
    .action(async ({ email, workspace, json }: Options) => {
      const baseUrl = settingsUrl()
      checkedEmail(email)
      const token = await withStore((store) => createSignInLink(store, { email, workspace }, { actor: actor() }))
      const link = signInLinkUrl(baseUrl, token)
      const advice = 'the link still works until it expires; create another'
      if (json) return printSecret(JSON.stringify({ link, email, expiresInSeconds: LINK_MINUTES * 60 }), advice)
      printSecret(link, advice)
      printMessage(`It works once, within ${LINK_MINUTES} minutes. Give it only to ${email}.`)
    })

/** Where the server is reached, if it was started with the same settings. */
function settingsUrl(): string {
  const publicUrl = readSetting(process.env, 'PUBLIC_URL')
  if (publicUrl !== '') return publicUrl
  return localUrl(readSetting(process.env, 'HOST'), readSetting(process.env, 'PORT'))
}
