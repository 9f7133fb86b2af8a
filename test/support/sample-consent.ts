import { type ConsentModel, cannotConnectPage, consentPage } from '../../src/web/connect/consent-page.ts'
import { createKeyModel, frame } from './sample-models.ts'

const { permissions, values, defaultQuota } = createKeyModel

export const consentModel: ConsentModel = {
  program: { name: 'ChatGPT', documentHost: 'chatgpt.com', kind: 'web', host: 'chatgpt.com', isListed: true },
  email: frame.email,
  csrf: frame.csrf,
  action: '/oauth/authorize?client_id=https%3A%2F%2Fchatgpt.com%2Foauth%2Fclient.json&state=s-1',
  frame,
  workspaces: [{ slug: 'northwind', name: 'Northwind Buying', timezone: 'Europe/London' }],
  workspace: '',
  permissions,
  values,
  errors: {},
  defaultQuota,
  rowCounts: createKeyModel.rowCounts,
  once: 'once-4',
  hasDraft: false,
}

const LONG_HOST = `${'a-host-name-of-the-longest-kind'.repeat(2)}.${'x'.repeat(60)}.example`

export const sampleConsentPages: Record<string, () => string> = {
  consent: () => consentPage(consentModel),
  'consent-errors': () =>
    consentPage({
      ...consentModel,
      program: { name: `ChatGPT ${'x'.repeat(92)}`, documentHost: null, kind: 'web', host: LONG_HOST, isListed: false },
      workspaces: [
        ...consentModel.workspaces,
        { slug: 'wholesale', name: 'Northwind Wholesale '.repeat(9), timezone: null },
      ],
      values: { ...values, permissions: [], expiry: 'custom', expiryDate: '2020-01-01', rateLimit: 'many' },
      errors: {
        workspace: 'Choose the workspace that it may read.',
        permissions: 'Choose at least one.',
        expiryDate: 'Choose today or a later date.',
        rateLimit: 'Use whole numbers.',
      },
      hasDraft: true,
    }),
  'consent-member': () =>
    cannotConnectPage({
      ...consentModel,
      workspaces: [
        {
          name: 'Northwind Buying',
          managers: [
            { email: 'priya@northwind.example', role: 'owner' },
            { email: 'tom@northwind.example', role: 'admin' },
          ],
        },
      ],
    }),
}
