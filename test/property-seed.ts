import fc from 'fast-check'

/**
 * Property tests explore from one seed, so that a change is judged by what it changed. `PROPERTY_SEED=random` (or a
 * number) explores elsewhere; what it finds becomes an example of its own.
 */
const wanted = process.env['PROPERTY_SEED'] ?? '20261121'

if (wanted !== 'random') fc.configureGlobal({ seed: Number(wanted) })
