package desk

// ServiceOf returns the service with a layout of exports.
var ServiceOf = serviceOf
