import type { MemberRecord, Role } from '../../src/members/records.ts'
import type { Results } from '../../src/web/find.ts'
import { type InviteModel, invitePage, type LinkModel, linkPage } from '../../src/web/members/invite.ts'
import { membersPage } from '../../src/web/members/list.ts'
import { memberPage } from '../../src/web/members/member.ts'
import { passkeysPart, signInsPage } from '../../src/web/members/sign-ins.ts'
import { workspacesPage } from '../../src/web/workspace/switch.ts'
import { ago, ahead, frameIn, noticed } from './sample-models.ts'

const DAY = 86_400_000
const frame = frameIn('members')
/** Of pages that belong to no section. */
const elsewhere = frameIn(null)

const member = (name: string, role: Role, addedDaysAgo: number, signedInAt: string | null = null): MemberRecord => ({
  ...{ email: `${name}@northwind.example`, role, addedAt: ago(addedDaysAgo * DAY), signedInAt },
})

const priya = member('priya', 'owner', 320, ago(60_000))
const sam = member('sam', 'member', 3)

const memberResults: Results<MemberRecord> = {
  typed: '',
  items: [
    sam,
    member('a-colleague-with-a-very-long-address.of-the-warehouse-in-rotterdam', 'admin', 40, ago(35 * DAY)),
    member('tom', 'admin', 210, ago(2 * DAY)),
    priya,
  ],
  ...{ total: 4, page: 1, pages: 1 },
}

const inviteModel: InviteModel = {
  frame,
  values: { email: '', role: 'member' },
  errors: {},
  hasMail: false,
}

const linkModel: LinkModel = {
  frame,
  member: sam,
  link: 'https://vitrine.northwind.example/settings/sign-in/link?token=SAMPLEpnaxrD0M9Wq3kZVtB7uYc2LfHd8RgSj1eXoT5',
  expiresAt: ahead(7 * DAY),
  isNew: true,
  companySignIn: null,
}

const manyWorkspaces = {
  ...elsewhere,
  workspaces: [
    ...frame.workspaces,
    ...Array.from({ length: 99 }, (_, i) => ({ name: `Depot ${i}`, slug: `depot-${i}`, role: 'admin' as const })),
  ],
}

const currentSignIn = {
  ...{ id: 'a', device: 'Firefox on Linux, 203.0.113.0/24', linkBy: null, isCurrent: true, mayEnd: true },
  ...{ startedAt: ago(60_000), seenAt: ago(1000) },
}

const manageModel = {
  ...{ frame, member: sam, role: 'member', isLastOwner: false, hasMail: false },
}

/** The states of the pages of members, by name. */
export const memberPages: Record<string, () => string> = {
  members: () => membersPage(frame, memberResults),
  workspaces: () => workspacesPage(manyWorkspaces, new URLSearchParams()),
  invite: () => invitePage(inviteModel),
  invited: () => linkPage(linkModel),
  'member-manage': () => memberPage(manageModel),
  'sign-ins': () =>
    signInsPage(
      noticed('good', 'That session is signed out.', elsewhere),
      [
        currentSignIn,
        {
          ...{ id: 'b', device: 'Safari on iOS, 2001:db8:85a3:8d3::/64', isCurrent: false, mayEnd: true },
          linkBy: 'tom@northwind.example priya@northwind.example',
          ...{ startedAt: ago(DAY), seenAt: ago(7_200_000) },
        },
      ],
      passkeysPart({
        frame,
        passkeys: [
          { id: 'p1', name: 'Work laptop', createdAt: ago(90 * DAY), usedAt: ago(3_600_000) },
          {
            id: 'p2',
            name: 'A security key with a very long name, which is in the safe',
            createdAt: ago(DAY),
            usedAt: null,
          },
        ],
        isLimited: false,
        isOffer: false,
      }),
    ),
}
