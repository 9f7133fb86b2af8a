import { Logger } from '../../src/lib/logger.ts'

export const silentLogger = new Logger({ write() {} }, 'silent')
