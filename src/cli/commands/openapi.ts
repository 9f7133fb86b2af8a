import { apiDocument } from '../../app.ts'
import { readConfig } from '../../config.ts'
import { publishedOf } from '../../resources/define.ts'
import { Command } from '../command.ts'
import type { Context } from '../context.ts'
import { printJson } from '../terminal/output.ts'

export const command = ({ requireResources }: Context) =>
  new Command('openapi')
    .description('print the OpenAPI document that a server with these settings serves, such as to generate a client')
    .examples('openapi > openapi.json')
    .action(() => {
      const resources = requireResources()
      printJson(apiDocument(readConfig(process.env), publishedOf(resources)))
    })
