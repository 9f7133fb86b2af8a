import { Command } from 'commander'
import { describeTool } from '../app.ts'
import { readSetting } from '../config.ts'
import type { FieldError } from '../lib/checker.ts'
import { adviceFor } from '../resources/declared/advice.ts'
import { compileDefinition } from '../resources/declared/compile.ts'
import type { Definition } from '../resources/declared/definition.ts'
import { estimatedTokens } from '../web/keys/agent/responses.ts'
import { ExitCode, UsageError } from './errors.ts'
import { print, printJson, sanitize, type Verdict, verdict } from './output.ts'
import { printView, type ResourceView, ROW_COMMANDS } from './resource-view.ts'
import { examples } from './usage.ts'

/** More than the tool of the tasks takes. An agent reads it in every session. */
const MANY_TOKENS = 1000
