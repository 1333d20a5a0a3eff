/** Schedules of suites, judge verdicts and insights of runs. */
export const schedulesAndJudging = ''
