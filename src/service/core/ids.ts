import { randomBytes, hash } from 'node:crypto'
import { canonicalJson } from '../../lib/json.ts'

/** Kinds of records with ids, by prefix. */
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

/** Crockford's alphabet, whose characters sort like their values. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_LENGTH = 10
const SEQUENCE_LENGTH = 4
const RANDOM_LENGTH = 12

/** Number of ids for which random bytes are generated at once. */
const POOL_IDS = 256

let lastTime = 0
let sequence = 0
let pool = Buffer.alloc(0)
let used = 0

/** A new id such as `run_01k…`: time, sequence, randomness. Ids of one process sort by creation. */
export function newId(kind: IdKind): string {
  // Setting the clock back must not make newer records sort before older ones.
  const time = Math.max(Date.now(), lastTime)
  sequence = time === lastTime ? sequence + 1 : 0
  lastTime = time
  return `${kind}_${encode(time, TIME_LENGTH)}${encode(sequence, SEQUENCE_LENGTH)}${randomText()}`
}

/** Each byte is used once; generating thousands at a time makes ten thousand ids cheap. */
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

/** SHA-256 of a value's canonical JSON, in hex. */
export function digest(value: unknown): string {
  return hash('sha256', canonicalJson(value) ?? 'null')
}
