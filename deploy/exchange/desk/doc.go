// Package desk holds the commands of the people who report: bordereau, with what is done with the periods of contracts,
// and reconcile, with what is done with the files of others. They use only the public HTTP interface.
package desk
