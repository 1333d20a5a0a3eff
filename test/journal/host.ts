// Runs tests in a separate process, `host.ts <mode> <JSON>`; prints lines of JSON.
import { allEndpoints } from '../../src/api/contract/contract.ts'
import { openWriter, resolveOnce, type WriterOptions } from './writer.ts'

const [mode = '', text = '{}'] = process.argv.slice(2)

const modes: Record<string, () => Promise<unknown>> = {
  async serve() {
    const { dataDir } = JSON.parse(text) as { dataDir: string }
    // Imported only here, because the many writers do not need the service.
    const { serve } = await import('../../src/cli/serve/serve.ts')
    await serve({ dataDir, json: true, rateLimit: 0, maxRuns: 100 })
    return undefined
  },
  async write() {
    const options = JSON.parse(text) as WriterOptions
    const { client, journal, http } = openWriter(options)
    const { operation, input, idempotencyKey } = options.write!
    const endpoint = allEndpoints().find(other => other.operation === operation)!
    const outcome = await client.call(endpoint, input, { idempotencyKey }).then(
      value => ({ value }),
      (error: Error & { code?: string; sent?: boolean }) => ({ error: { ...error, message: error.message } }),
    )
    await http.close()
    await journal.close()
    return outcome
  },
  resolve: () => resolveOnce(JSON.parse(text) as WriterOptions, 'resolve'),
  send: () => resolveOnce(JSON.parse(text) as WriterOptions, 'send'),
}

const said = await modes[mode]?.()
if (said !== undefined) process.stdout.write(`${JSON.stringify(said)}\n`)
