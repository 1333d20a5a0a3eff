import { deepEqual, equal } from 'node:assert/strict'
import type { Settlement } from '../../src/api/client/journal/entry.ts'
import type { Intent, Journal } from '../../src/api/client/journal/journal.ts'
import { bytesOf, createScene, launch, SECRET } from './scene.ts'

/** One running process, the crashed ones before it, and the content that must already be on disk. */
export class World {
  readonly #scene = createScene()
  #process = this.#scene.start()
  /** Writes that the running process has not settled. */
  #pending = new Map<number, Intent>()
  /** Entries with an unknown outcome. */
  readonly #open = new Set<number>()
  #written = 0

  get #journal(): Journal {
    return this.#process.journal
  }

  async begin(): Promise<void> {
    this.#written += 1
    this.#pending.set(this.#written, await this.#journal.begin(launch(this.#written)))
    this.#open.add(this.#written)
  }

  crash(): void {
    this.#process.kill()
    this.#process = this.#scene.start()
    this.#pending.clear()
  }

  wait(): void {
    this.#scene.clock.advance(1_000)
  }

  sent(at: number): void {
    pick(this.#pending.values(), at)?.sent()
  }

  settle(at: number, settlement: Settlement): void {
    const id = pick(this.#pending.keys(), at)
    if (id === undefined) return
    this.#pending.get(id)!.settle(settlement)
    this.#pending.delete(id)
    if (settlement.outcome !== 'unknown') this.#open.delete(id)
  }

  async claim(at: number, end: 'conclude' | 'release' | 'crash'): Promise<void> {
    const entries = await this.#journal.unresolved()
    deepEqual(
      entries.map(({ id }) => id),
      [...this.#open].filter(id => !this.#pending.has(id)),
    )
    const entry = pick(entries, at)
    const claim = entry && (await this.#journal.claim(entry))
    if (!claim) return
    equal(await this.#journal.claim(entry), undefined)
    if (end === 'crash') return this.crash()
    if (end === 'release') return claim.release()
    deepEqual([claim.conclude('happened'), claim.conclude('happened')], [true, false])
    this.#open.delete(entry.id)
  }

  async end(): Promise<void> {
    this.crash()
    const left = await this.#journal.unresolved()
    deepEqual(
      left.map(({ id, input }) => ({ id, input })),
      [...this.#open].map(id => ({ id, input: { projectId: 'p', body: { suiteId: `suite-${id}` } } })),
    )
    if (this.#written > 0) equal(bytesOf(this.#scene.file).includes(SECRET), false)
  }

  remove(): void {
    this.#scene.remove()
  }
}

function pick<T>(values: Iterable<T>, at: number): T | undefined {
  const all = [...values]
  return all[at % Math.max(1, all.length)]
}
