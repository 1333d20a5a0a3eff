import type { Symbols } from './theme.ts'

/** Signs with the same meaning, and the meaning. */
export type LegendEntry = readonly [signs: readonly string[], means: string]

/** Returns the meaning of each sign on the screen for the help; no sign is in two entries. */
export function legend(symbols: Symbols): readonly LegendEntry[] {
  const { heat, bar, halfBar, box, spark, scroll, spinner } = symbols
  const entries: LegendEntry[] = [
    [[symbols.ok], 'it went well: passed, ready, done, resolved'],
    [[symbols.error], 'it went wrong: failed, refused, came back'],
    [[symbols.warn], 'look at it: new, missed its goal, without a verdict, read in part'],
    [[symbols.live], 'under way'],
    [[symbols.again], 'seen again, as before'],
    [[symbols.pending], 'waits, or is not known yet'],
    [[symbols.cancelled], 'stopped, skipped, switched off or put away'],
    [[symbols.flaky], 'flaky: now it passes, now it fails'],
    [[heat.passed], 'passed, one of many'],
    [[symbols.pointer], 'the chosen row'],
    [[symbols.choice], 'the answer that is chosen'],
    [[symbols.mark, symbols.markedPointer], 'a row that you marked, and that row chosen'],
    [[symbols.new], 'was not there before; before a number, by how much it rose'],
    [[symbols.changed], 'is other than before, or than expected'],
    [[symbols.followed], 'you follow it on every screen'],
    [[symbols.folded, symbols.unfolded], 'folded, and unfolded; above a picture, the chosen column'],
    [[symbols.ascending, symbols.descending], 'sorted by this column, upwards or downwards'],
    [[symbols.sent, symbols.received], 'sent, and received; of keys, the arrows'],
    [[symbols.crumb, '‹'], 'inside the one before; at an end of the tabs, more of them'],
    [[bar[0], ...halfBar, box[0], ...spark], 'an amount: the longer or higher, the more'],
    [[bar[1]], 'the rest of a bar'],
    [[heat.unread, box[1]], 'not read yet, or the middle half of a box'],
    [[scroll[0]], 'where you are in a longer text'],
    [[...spinner], 'something works'],
    [[symbols.ellipsis], 'cut here'],
    [[symbols.lineBreak], 'a line break'],
    [[symbols.bullet, heat.absent], 'nothing there; between words, a pause'],
    [['—'], 'not known, or none'],
  ]
  return entries.flatMap(([signs, means]): LegendEntry[] => {
    const drawn = [...new Set(signs)].filter(sign => sign.trim() !== '')
    return drawn.length > 0 ? [[drawn, means]] : []
  })
}
