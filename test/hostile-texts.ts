/** A placeholder for bytes that are not valid UTF-8; no other text contains this character. */
export const NO_UTF8 = '\uE123'

/**
 * Texts that try to control the terminal, to reverse the reading direction, or to shift the columns. They contain
 * "evil" if possible.
 */
export const HOSTILE: readonly string[] = [
  '\u001B[2J\u001B[Hevil\u001B[5;7;41m',
  '\u001B]52;c;ZXZpbA==\u0007',
  '\u001B]8;;http://evil.example\u001B\\evil\u001B]8;;\u001B\\',
  '\u001B]0;evil\u0007\u001B]2;evil\u001B\\',
  '\u001BPq#0;2;0;0;0evil\u001B\\\u001B_Gf=24;evil\u001B\\\u001B^evil\u001B\\\u001BXevil\u001B\\',
  '\u009B2J\u009D0;evil\u009C\u0090evil\u009C\u0085\u008D',
  '\u00ADe\u180Ev\u115F\u1160i\u3164\uFFA0l\uDC00\u{E0001}\u{E0076}\u{E0100}',
  '\u202Elive\u2066evil\u2069\u200F\u061C\u2028\u2029',
  `evil${'\u200B\u2060\uFEFF'.repeat(300)}`,
  `e${'\u0301\u0489'.repeat(400)}vil`,
  '\u0000\u0007\b\b\b\u007Fevil\r\nevil\tevil\u000B\u000C\u000E',
  `漢字👩‍👩‍👧‍👦🇩🇪👍🏽${NO_UTF8}evil\u{E0041}\u{1F3F4}\u{E0067}\u{E007F}`,
  '\u001B[?1049l\u001B[?2026h\u001Bc\u001B#8\u001B(0evil\u001B[6n\u001B[21t\u001B[c',
]

/** More hostile texts, for tests with a terminal emulator and a clock. */
export const HOSTILE_FURTHER: readonly string[] = [
  `evil${'\u200D\u200C\uFE0F'.repeat(10_000)}`,
  'e\u00ADv\u180Ei\u115Fl\u3164\uFFA0\u{E0101}\u{1D173}\uFFF9\u2800\u034F',
  '\u001B]52;c;',
  '\u001B]9;evil\u0007\u001B]777;notify;evil;evil\u0007\u001B]1337;File=:ZXZpbA==\u0007\u001B]4;1;red\u0007',
  '\uD83Devil\uDE00',
]
