import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The slowest files start first, so that all workers end at the same time. */
const ORDER = ['test/journeys/', 'test/journal/', 'test/cli/', 'test/', 'src/screens/', 'src/app/', 'src/']

/**
 * Keeps the files of a project together: when the next file belongs to another project, a worker that files share ends,
 * and each new worker takes seconds to load the sources.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
    return [...Map.groupBy(sorted, ({ project }) => project.name).values()].flat()
  }
}

const rank = ({ moduleId }: TestSpecification): number => ORDER.findIndex(folder => moduleId.includes(`/${folder}`))
