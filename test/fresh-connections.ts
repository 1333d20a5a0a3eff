import { Agent, setGlobalDispatcher } from 'undici'

// A service closes a connection that is idle for some seconds, and on a busy machine a test may send a request on it at
// that moment. So each request of the tests gets a new connection.
setGlobalDispatcher(new Agent({ pipelining: 0 }))
