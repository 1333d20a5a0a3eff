import { RuleTester } from 'oxlint/plugins-dev'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { colourRule, inputRule, jsonRule, timeRule, zonesRule } from '../../scripts/lint/house.ts'

RuleTester.describe = describe
RuleTester.it = it

const tester = new RuleTester({ languageOptions: { parserOptions: { lang: 'tsx' } } })
const at = (file: string, code: string) => ({
  filename: join(import.meta.dirname, '../..', file),
  code,
  name: `${file}: ${code}`,
})
const refused = (file: string, code: string) => ({ ...at(file, code), errors: 1 })

tester.run('zones', zonesRule, {
  valid: [
    at('src/main.tsx', `import { startService } from './service/start.ts'`),
    at('src/main.tsx', `import manifest from '../package.json' with { type: 'json' }`),
    at('src/app/registry.ts', `import { runs } from '../screens/runs/screen.tsx'`),
    at('src/screens/runs/screen.tsx', `import { columns } from './parts/columns.ts'`),
    at('src/screens/runs/parts/columns.ts', `import { route } from '../route.ts'`),
    at('src/screens/runs/screen.tsx', `import { runRoute } from '../run/route.ts'`),
    at('src/components/notice.tsx', `import type { ApiError } from '../api/error.ts'`),
    at('src/service/router.ts', `import { contract } from '../api/contract/contract.ts'`),
    at('src/api/queries.ts', `import { queryOptions } from '@tanstack/react-query'`),
    at('src/api/contract/runs.ts', `import * as z from 'zod'`),
    at('src/app/terminal/osc.ts', `import { clean } from '../../api/printable.ts'`),
  ],
  invalid: [
    refused('src/screens/runs/screen.tsx', `import { columns } from '../run/columns.ts'`),
    refused('src/screens/runs/screen.tsx', `import type { Screen } from '../../app/registry.ts'`),
    refused('src/screens/runs/screen.tsx', `export const load = () => import('../../app/shell/frame.tsx')`),
    refused('src/screens/runs/screen.tsx', `export type Row = import('../../service/store.ts').Row`),
    refused('src/screens/runs/screen.tsx', `export * from '../../app/terminal/screen.ts'`),
    refused('src/screens/runs.ts', `import { a } from './other.ts'`),
    refused('src/components/notice.tsx', `import { ApiError } from '../api/error.ts'`),
    refused('src/hooks/use-selection.ts', `import { Table } from '../components/table.tsx'`),
    refused('src/service/router.ts', `import { client } from '../api/client.ts'`),
    refused('src/service/router.ts', `import { useState } from 'react'`),
    refused('src/api/client.ts', `import { QueryClient } from '@tanstack/react-query'`),
    refused('src/api/queries.ts', `import { useState } from 'react'`),
    refused('src/api/contract/runs.ts', `import { readFile } from 'node:fs'`),
    refused('src/app/terminal/screen.ts', `import { theme } from '../theme/theme.ts'`),
    refused('src/elsewhere/thing.ts', `import { main } from '../main.tsx'`),
  ],
})

tester.run('input', inputRule, {
  valid: [at('src/screens/runs/screen.tsx', `import { Box, Text } from 'ink'`)],
  invalid: [refused('src/screens/runs/screen.tsx', `import { Box, useInput as read } from 'ink'`)],
})

tester.run('json', jsonRule, {
  valid: [
    at('src/cli/a.ts', 'process.stdout.write(`${jsonText(value)}`)'),
    at('src/cli/a.ts', 'const body = JSON.stringify(value)'),
    at('src/components/a.ts', 'stream.write(JSON.stringify(value))'),
  ],
  invalid: [
    refused('src/cli/a.ts', 'process.stdout.write(`${JSON.stringify(value)}`)'),
    refused('src/cli/get/a.ts', 'await output.write(JSON.stringify(value))'),
  ],
})

tester.run('time', timeRule, {
  valid: [
    at('src/api/times.ts', 'new Date(at).toISOString()'),
    at('src/cli/a.test.ts', 'new Date(at).toISOString()'),
    at('src/cli/a.ts', 'new Date(at).getTime()'),
  ],
  invalid: [
    refused('src/cli/a.ts', 'new Date(at).toISOString()'),
    refused('src/screens/now/a.tsx', 'date.getHours()'),
    refused('src/service/a.ts', 'new Date().toLocaleTimeString("en-GB")'),
  ],
})

tester.run('colour', colourRule, {
  valid: [at('src/components/row.tsx', `const row = <Text color={theme.danger} title="red">red</Text>`)],
  invalid: [
    refused('src/components/row.tsx', `const row = <Text color="red" />`),
    refused('src/components/row.tsx', `const row = <Text backgroundColor={on ? '#ff0000' : theme.calm} />`),
    refused('src/components/row.tsx', `const style = { borderColor: 'greenBright' }`),
  ],
})
