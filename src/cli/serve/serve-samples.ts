import { clean, jsonText } from '../../lib/printable.ts'
import { ServiceError } from '../../service/core/errors.ts'
import { insertSamples, removeSamples } from '../../service/samples/insert-samples.ts'
import type { NamedSample } from '../../service/samples/rows.ts'
import { EXIT } from '../process/exit-codes.ts'
import { UsageError, type CommonOptions } from '../config/settings.ts'
import { printItems } from '../output/print-items.ts'
import { withStore } from './with-store.ts'

/** Prints the records that are samples; what belongs to one of them is a sample with it. */
export function showSamples(common: CommonOptions, json: boolean | undefined): number {
  return withStore(common, ({ store }) => {
    print(store.samples.list(), json)
    return EXIT.done
  })
}

/** Adds the samples where there are none, and prints what is there. */
export function addSamples(common: CommonOptions, json: boolean | undefined): number {
  withStore(common, ({ store }) => {
    try {
      insertSamples(store, Date.now())
    } catch (error) {
      if (error instanceof ServiceError) throw new UsageError(error.message)
      throw error
    }
  })
  return showSamples(common, json)
}

/** Removes the samples, and prints what was removed and what stays because something else names it. */
export function dropSamples(common: CommonOptions, json: boolean | undefined): number {
  return withStore(common, ({ store }) => {
    const { removed, kept } = removeSamples(store)
    if (json) process.stdout.write(`${jsonText({ removed, kept })}\n`)
    else {
      process.stdout.write(`${removed.length} removed, with all that belongs to them\n`)
      for (const { kind, id, name } of kept)
        process.stdout.write(`${kind} ${id} stays, since something else names it: ${clean(name ?? '')}\n`)
    }
    return EXIT.done
  })
}

function print(samples: readonly NamedSample[], json: boolean | undefined): void {
  printItems(samples, json, ({ kind, id, name }) => [kind, id, name ?? ''])
}
