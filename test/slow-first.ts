import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes longest begins first, so that all workers end together. */
const ORDER = ['test/journeys/', 'test/journal/', 'test/cli/', 'test/', 'src/screens/', 'src/app/', 'src/']

/**
 * Files of a project follow each other: where the next file is another project's, a worker that files share ends, and
 * each that begins takes seconds to load the sources.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
    return [...Map.groupBy(sorted, ({ project }) => project.name).values()].flat()
  }
}

const rank = ({ moduleId }: TestSpecification): number => ORDER.findIndex(folder => moduleId.includes(`/${folder}`))
