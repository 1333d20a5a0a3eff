import fc from 'fast-check'

/**
 * Property tests use one seed, so that a change is judged by its own effect. `PROPERTY_SEED=random` (or a number) tests
 * other values; a failure found there becomes a separate example.
 */
const wanted = process.env['PROPERTY_SEED'] ?? '20261121'

if (wanted !== 'random') fc.configureGlobal({ seed: Number(wanted) })
