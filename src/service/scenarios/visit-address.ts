/** The port of `mcpdeck serve` where nothing else is said. */
export const DEFAULT_PORT = 4747

/** Where links of visitors lead that are minted by a process without a port of its own. */
export const DEFAULT_VISIT_ORIGIN = `http://127.0.0.1:${DEFAULT_PORT}`
