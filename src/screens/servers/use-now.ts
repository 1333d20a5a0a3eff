export { useNow, useRunningNow } from '../../hooks/use-now.ts'
