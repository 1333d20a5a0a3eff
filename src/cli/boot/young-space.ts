/**
 * Ends the growth of V8's space for young objects, which would double to many megabytes: most of what a start leaves
 * resident. Before the program is loaded this would cost a tenth of the start.
 */
export function keepYoungSpaceSmall(): void {
  // Asked for only when called: this file is part of what an old Node reads.
  process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1')
}
