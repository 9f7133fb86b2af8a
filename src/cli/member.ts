import { Option } from 'commander'
import { readSetting } from '../config.ts'
import {
  addMember,
  type ChangedMember,
  changeRole,
  checkedEmail,
  checkedMember,
  listMembers,
  removeMember,
} from '../members/members.ts'
import { roles } from '../members/records.ts'
import { rolesHelp } from '../members/roles.ts'
import { createSignInLink, LINK_MINUTES } from '../members/sign-in-link.ts'
import { signInLinkUrl } from '../web/paths.ts'
import { Command } from './command.ts'
import { actor, type Context, isoNow } from './context.ts'
import { localUrl } from './listen.ts'
import { printJson, printMessage, printResult, printSecret } from './output.ts'
import { printTable } from './table.ts'

interface Options {
  workspace: string
  email: string
  role: string
  json?: true
}

export const command = (context: Context) =>
  new Command('member')
    .description('manage the members of a workspace and their roles')
    .addCommand(
      giveRole(context, 'add', { description: 'add a member, or change their role', change: addMember, role: 'owner' }),
    )
    .addCommand(link(context))
    .addCommand(list(context))
    .addCommand(
      giveRole(context, 'role', {
        description: 'change the role of a member, effective immediately',
        change: changeRole,
        role: 'admin',
      }),
    )
    .addCommand(remove(context))

const giveRole = (
  { withStore }: Context,
  name: 'add' | 'role',
  { description, change, role }: { description: string; change: typeof addMember; role: string },
) =>
  new Command(name)
    .description(description)
    .requiredOption('--workspace <slug>', 'the workspace')
    .requiredOption('--email <address>', 'the person')
    .addOption(new Option('--role <role>', rolesHelp).choices(roles).makeOptionMandatory())
    .option('--json', 'print the member as JSON')
    .examples(`member ${name} --workspace northwind --email ines@northwind.example --role ${role}`)
    .action(async ({ workspace, email, role, json }: Options) => {
      checkedMember({ email, role })
      const changed = await withStore((store) => change(store, workspace, { email, role }, actor(), isoNow()))
      printResult(json, changed.member, changeText(changed, workspace))
    })

function changeText({ member: { email, role }, before }: ChangedMember, workspace: string): string {
  if (before === null) return `${email} is now ${role} of ${workspace}.`
  if (before === role) return `${email} is already ${role} of ${workspace}; nothing was changed.`
  return `${email} was ${before} of ${workspace}, and is now ${role}.`
}

const link = ({ withStore }: Context) =>
  new Command('link')
    .description(`print a link that signs a member in to the settings page, once, within ${LINK_MINUTES} minutes`)
    .requiredOption('--email <address>', 'the member')
    .option('--workspace <slug>', 'the workspace that it opens (default: their first one)')
    .option('--json', 'print the link and its lifetime as JSON')
    .examples(
      'member link --email ines@northwind.example',
      'member link --email ines@northwind.example --workspace northwind',
    )
    .action(async ({ email, workspace, json }: Pick<Options, 'email' | 'json'> & { workspace?: string }) => {
      const baseUrl = settingsUrl()
      checkedEmail(email)
      const token = await withStore((store) => createSignInLink(store, { email, workspace }, { actor: actor() }))
      const url = signInLinkUrl(baseUrl, token)
      const printed = json ? JSON.stringify({ link: url, email, expiresInSeconds: LINK_MINUTES * 60 }) : url
      printSecret(printed, 'the link still works until it expires; create another')
      if (!json) printMessage(`It works once, within ${LINK_MINUTES} minutes. Send it only to ${email}.`)
    })

/** Assumes that the server uses the same settings. */
const settingsUrl = (): string =>
  readSetting(process.env, 'PUBLIC_URL') || localUrl(readSetting(process.env, 'HOST'), readSetting(process.env, 'PORT'))

const list = ({ withReadingStore }: Context) =>
  new Command('list')
    .description('list the members of a workspace')
    .requiredOption('--workspace <slug>', 'the workspace')
    .option('--json', 'print them as a JSON array')
    .examples('member list --workspace northwind')
    .action(async ({ workspace, json }: Options) => {
      const members = await withReadingStore((store) => listMembers(store, workspace))
      if (json) return printJson(members)
      if (members.length === 0)
        return printMessage(`${workspace} has no members yet; add one with 'vitrine member add'.`)
      printTable(members, {
        EMAIL: (member) => member.email,
        ROLE: (member) => member.role,
        ADDED: (member) => member.addedAt,
        'LAST SIGNED IN': (member) => member.signedInAt ?? 'never',
      })
    })

const remove = ({ withStore }: Context) =>
  new Command('remove')
    .description('remove a member from a workspace; their keys keep working, and the last owner cannot be removed')
    .requiredOption('--workspace <slug>', 'the workspace')
    .requiredOption('--email <address>', 'the person')
    .option('--json', 'print who was removed, as JSON')
    .examples('member remove --workspace northwind --email ines@northwind.example')
    .action(async ({ workspace, email, json }: Options) => {
      await withStore((store) => removeMember(store, workspace, email, actor(), isoNow()))
      printResult(json, { workspace, email }, `${email} is no longer a member of ${workspace}.`)
    })
