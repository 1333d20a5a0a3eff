import { randomBytes, hash } from 'node:crypto'
import { canonicalJson } from '../../lib/json.ts'

/** Prefixes of ids. Each kind of record with ids has one. */
export type IdKind =
  | 'org'
  | 'acc'
  | 'prj'
  | 'srv'
  | 'cli'
  | 'env'
  | 'ste'
  | 'cas'
  | 'run'
  | 'grp'
  | 'itr'
  | 'per'
  | 'jny'
  | 'swm'
  | 'jrn'
  | 'wav'
  | 'ses'
  | 'cht'
  | 'fnd'
  | 'ins'
  | 'scn'
  | 'mbr'
  | 'win'
  | 'rdy'
  | 'scr'
  | 'cnf'
  | 'key'
  | 'req'
  | 'act'

/** Crockford's alphabet, whose characters sort in the order of their values. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_LENGTH = 10
const SEQUENCE_LENGTH = 4
const RANDOM_LENGTH = 12

/** Number of ids whose random bytes are drawn at once. */
const POOL_IDS = 256

let lastTime = 0
let sequence = 0
let pool = Buffer.alloc(0)
let used = 0

/** Returns a new id such as `run_01k…`: time, sequence number and random text. Ids of one process sort by creation. */
export function newId(kind: IdKind): string {
  // If the clock is set back, new records must still sort after older ones.
  const time = Math.max(Date.now(), lastTime)
  sequence = time === lastTime ? sequence + 1 : 0
  lastTime = time
  return `${kind}_${encode(time, TIME_LENGTH)}${encode(sequence, SEQUENCE_LENGTH)}${randomText()}`
}

/** Returns random text. Random bytes are drawn a few thousand at a time, so that ten thousand ids take little time. */
function randomText(): string {
  if (used === pool.length) {
    pool = randomBytes(POOL_IDS * RANDOM_LENGTH)
    used = 0
  }
  let text = ''
  for (const end = used + RANDOM_LENGTH; used < end; used += 1) text += ALPHABET.charAt(pool[used]! % ALPHABET.length)
  return text
}

function encode(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / ALPHABET.length))
    text = ALPHABET.charAt(rest % ALPHABET.length) + text
  return text
}

/** Returns the SHA-256 of a value's canonical JSON, in hex. */
export function digest(value: unknown): string {
  return hash('sha256', canonicalJson(value) ?? 'null')
}
