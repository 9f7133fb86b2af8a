import { Option } from 'commander'
import { readSetting } from '../../config.ts'
import {
  addMember,
  type ChangedMember,
  changeRole,
  checkedEmail,
  checkedMember,
  removeMember,
} from '../../members/members.ts'
import { membersOf, roles } from '../../members/records.ts'
import { createSignInLink, LINK_MINUTES } from '../../members/sign-in-link.ts'
import { signInLinkUrl } from '../../web/paths.ts'
import { workspaceOrThrow } from '../../workspaces/records.ts'
import { Command } from '../command.ts'
import { actor, type Context } from '../context.ts'
import { localUrl } from '../serve/listen.ts'
import { isJson, printMessage, printResult, printSecret, toJson } from '../terminal/output.ts'
import { printList } from '../terminal/table.ts'

interface Options {
  workspace: string
  email: string
  role: string
}

export const command = (context: Context) =>
  new Command('member', 'manage the members of a workspace and their roles').subcommands(
    giveRole(context, 'add', 'add a member, or change their role', addMember, 'owner'),
    link(context),
    list(context),
    giveRole(context, 'role', 'change the role of a member, effective immediately', changeRole, 'admin'),
    remove(context),
  )

const giveRole = (
  { write }: Context,
  name: 'add' | 'role',
  description: string,
  change: typeof addMember,
  example: string,
) =>
  new Command(name, description)
    .requiredOption('--workspace <slug>', 'the workspace')
    .requiredOption('--email <address>', 'the person')
    .addOption(
      new Option('--role <role>', 'owner and admin can create and revoke keys, member cannot')
        .choices(roles)
        .makeOptionMandatory(),
    )
    .examples(`member ${name} --workspace northwind --email ines@northwind.example --role ${example}`)
    .withResult(async ({ workspace, email, role }: Options) => {
      const details = checkedMember({ email, role })
      const changed = await write((tx) => change(tx, workspace, details, actor()))
      printResult(changed.member, changeText(changed, workspace))
    })

function changeText({ member: { email, role }, before }: ChangedMember, workspace: string): string {
  if (before === null) return `${email} is now ${role} of ${workspace}.`
  if (before === role) return `${email} is already ${role} of ${workspace}; nothing was changed.`
  return `${email} was ${before} of ${workspace}, and is now ${role}.`
}

const link = ({ write }: Context) =>
  new Command('link', `print a link that signs a member in to the settings page, once, within ${LINK_MINUTES} minutes`)
    .requiredOption('--email <address>', 'the member')
    .option('--workspace <slug>', 'the workspace that it opens (default: their first one)')
    .examples(
      'member link --email ines@northwind.example',
      'member link --email ines@northwind.example --workspace northwind',
    )
    .withResult(async ({ email, workspace }: { email: string; workspace?: string }) => {
      // Assumes that the server uses the same settings.
      const publicUrl = readSetting(process.env, 'PUBLIC_URL')
      const baseUrl = publicUrl || localUrl(readSetting(process.env, 'HOST'), readSetting(process.env, 'PORT'))
      checkedEmail(email)
      const token = await write((tx) => createSignInLink(tx, { email, workspace }, actor()))
      const url = signInLinkUrl(baseUrl, token)
      const printed = isJson() ? toJson({ link: url, email, expiresInSeconds: LINK_MINUTES * 60 }) : url
      printSecret(printed, 'the link still works until it expires; create another')
      if (publicUrl === '')
        printMessage(
          `vitrine: warning: PUBLIC_URL is not set, so the link leads to ${baseUrl}, on this machine only; set PUBLIC_URL as for the server, and create another link`,
        )
      if (!isJson()) printMessage(`It works once, within ${LINK_MINUTES} minutes. Send it only to ${email}.`)
    })

const list = ({ read }: Context) =>
  new Command('list', 'list the members of a workspace')
    .requiredOption('--workspace <slug>', 'the workspace')
    .examples('member list --workspace northwind')
    .withResult(async ({ workspace }: Options) => {
      const members = await read(async (tx) => membersOf(tx, (await workspaceOrThrow(tx, workspace)).id))
      printList(members, `${workspace} has no members yet; add one with 'vitrine member add'.`, {
        EMAIL: (member) => member.email,
        ROLE: (member) => member.role,
        ADDED: (member) => member.addedAt,
        'LAST SIGNED IN': (member) => member.signedInAt ?? 'never',
      })
    })

const remove = ({ write }: Context) =>
  new Command('remove')
    .description('remove a member from a workspace; their keys keep working, and the last owner cannot be removed')
    .requiredOption('--workspace <slug>', 'the workspace')
    .requiredOption('--email <address>', 'the person')
    .examples('member remove --workspace northwind --email ines@northwind.example')
    .withResult(async ({ workspace, email }: Options) => {
      await write((tx) => removeMember(tx, workspace, email, actor()))
      printResult({ workspace, email }, `${email} is no longer a member of ${workspace}.`)
    })
