import { homedir } from 'node:os'

// Imported first, because later imports need the home directory while loading. A user without `HOME` and without an
// entry in the user database, as in a container, has none.
try {
  homedir()
} catch {
  process.stderr.write('mcpdeck finds no home directory: set HOME to a directory that it may write to.\n')
  process.exit(2)
}
