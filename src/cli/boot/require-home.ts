import { homedir } from 'node:os'

// The first thing that a start imports: what it imports next asks for the home directory while it is loaded. A user
// without `HOME` and without an entry in the user database, as in a container, has none.
try {
  homedir()
} catch {
  process.stderr.write('mcpdeck finds no home directory: set HOME to a directory that it may write to.\n')
  process.exit(2)
}
