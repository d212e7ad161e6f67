package feed

// ServiceOver returns the service, which connects to receivers of events by a function.
var ServiceOver = serviceOver
