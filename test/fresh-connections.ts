import { Agent, setGlobalDispatcher } from 'undici'

// A service ends a connection that rests for some seconds, and on a busy machine a request of a test can leave on it at
// that moment. So the tests' own requests each get a connection of their own.
setGlobalDispatcher(new Agent({ pipelining: 0 }))
