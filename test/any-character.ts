import fc from 'fast-check'

/** Surrogates, which are not characters alone. */
const SURROGATES = { first: 0xd800, count: 0x800 }
const LAST = 0x10ffff

/**
 * Any character, as with the unit `binary`, but without the list of all of them that the library builds for the first
 * text, which takes a second of processor time and a hundred megabytes.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat({ max: LAST - SURROGATES.count }).map(
  index => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
  character => {
    const code = typeof character === 'string' && character.isWellFormed() ? character.codePointAt(0) : undefined
    if (code === undefined || String.fromCodePoint(code) !== character) throw new Error('This is no character.')
    return code < SURROGATES.first ? code : code - SURROGATES.count
  },
)
