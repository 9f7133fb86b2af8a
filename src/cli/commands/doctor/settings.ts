import { checkLifecyclePaths } from '../../../app.ts'
import { type Config, type Environment, readConfig, readSyncCredentials } from '../../../config.ts'
import { finding, type HealthFinding, warning } from '../../../database/finding.ts'
import { isLoopback } from '../../../lib/network.ts'
import { checkMailServer, type MailSettings } from '../../../notices/mail.ts'
import { publishedOf } from '../../../resources/define.ts'
import type { Context } from '../../context.ts'
import { messageOf } from '../../errors.ts'

export async function examineSettings(environment: Environment, { requireResources }: Context) {
  let config: Config
  try {
    config = readConfig(environment)
    checkLifecyclePaths(config, publishedOf(requireResources()))
    readSyncCredentials(environment)()
  } catch (error) {
    return [finding('settings', false, messageOf(error))]
  }
  return [
    finding('settings', true, 'all valid'),
    encryption(config),
    ...(config.mail === undefined ? [] : [await mailServer(config.mail)]),
  ]
}

/** Between machines, keys and cookies need TLS, which a reverse proxy provides. */
function encryption({ host, publicUrl }: Config): HealthFinding {
  const check = 'encryption'
  if (isLoopback(host)) return finding(check, true, `listens on this machine only (${host})`)
  if (publicUrl.startsWith('http:')) {
    const detail = `HOST=${host} accepts connections from other machines, and PUBLIC_URL is plain http: keys are sent unencrypted`
    const hint = 'put a proxy with TLS in front and set PUBLIC_URL to its https URL, or set HOST=127.0.0.1'
    return finding(check, false, detail, hint)
  }
  const detail = `listens beyond this machine (${host})`
  if (publicUrl !== '') return finding(check, true, `${detail}; reached at ${publicUrl}`)
  return warning(check, detail, 'make sure that a proxy with TLS is in front, and set PUBLIC_URL')
}

const mailServer = (settings: MailSettings): Promise<HealthFinding> =>
  checkMailServer(settings).then(
    () => finding('mail server', true, 'accepts connections'),
    (error) => finding('mail server', false, messageOf(error)),
  )
