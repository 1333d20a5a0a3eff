import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes longest begins first, so that all workers end together. */
const ORDER = ['test/journeys/', 'test/journal/', 'test/cli/', 'test/', 'src/screens/', 'src/']

/** Of this many files that begin, one computes from its beginning to its end; the others mostly wait for processes. */
const MIX = 3

/** Begins with the slowest files, and never has processes alone to wait for while the processor has nothing to do. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
    const [waiting, computing] = [true, false].map(waits => sorted.filter(file => waitsForProcesses(file) === waits))
    return sorted.map((_, index) => {
      const [first, second] = index % MIX === MIX - 1 ? [computing, waiting] : [waiting, computing]
      return (first!.shift() ?? second!.shift())!
    })
  }
}

const rank = ({ moduleId }: TestSpecification): number => ORDER.findIndex(folder => moduleId.includes(`/${folder}`))
const waitsForProcesses = (file: TestSpecification): boolean => ORDER[rank(file)]?.startsWith('test/') ?? false
