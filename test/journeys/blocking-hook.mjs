// Preloaded by a test: on SIGURG the screen's thread writes the file `blocked` into the folder of MCPDECK_TEST_BLOCK,
// and stays busy until there is a file `go-on`.
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'

const [how, folder] = (process.env.MCPDECK_TEST_BLOCK ?? '').split(':')
if (isMainThread && how)
  process.on('SIGURG', () => {
    writeFileSync(join(folder, 'blocked'), '')
    if (how === 'outside') spawnSync('sleep', ['300'])
    else while (!existsSync(join(folder, 'go-on')));
  })
