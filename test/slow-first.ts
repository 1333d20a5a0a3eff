import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes longest begins first, so that all workers end together. */
const ORDER = ['test/journeys/', 'test/journal/', 'test/cli/', 'test/', 'src/screens/', 'src/']

/** Each begins files of every project, since some mostly wait for processes while others compute. */
const ROUNDS = 3

/** Files of a project follow each other, because a worker that others share ends where the next file is another's. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
    const projects = [...Map.groupBy(sorted, ({ project }) => project.name).values()]
    return Array.from({ length: ROUNDS }, (_, round) => projects.map(each => share(each, round))).flat(2)
  }
}

/** The files of a project that a round begins. */
const share = <File>(files: readonly File[], round: number): File[] =>
  files.slice(...[round, round + 1].map(part => Math.round((files.length * part) / ROUNDS)))

const rank = ({ moduleId }: TestSpecification): number => ORDER.findIndex(folder => moduleId.includes(`/${folder}`))
