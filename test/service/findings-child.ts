// A separate process for tests: `findings-child.ts <dataDir> <projectId> <waves>` records a sighting in each of the
// given number of waves.
import { recordGradedWave } from '../../src/service/findings/records.ts'
import { openStore } from '../../src/service/workspace/store.ts'

const [dataDir = '', projectId = '', waves = '0'] = process.argv.slice(2)
const store = openStore({ dataDir })
process.stdout.write('ready\n')
for (let wave = 1; wave <= Number(waves); wave++)
  store.write(() =>
    recordGradedWave(store, {
      projectId,
      source: { kind: 'swarm' },
      waveId: `child-${wave}`,
      at: 1000 + wave,
      covers: () => true,
      sightings: [
        {
          fingerprint: 'shared',
          dimension: 'goal',
          subject: { kind: 'journey', id: 'j' },
          title: 'Shared',
          evidence: [],
        },
      ],
    }),
  )
store.close()
process.stdout.write('done\n')
