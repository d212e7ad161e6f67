// Package coverage is the service that owns the policies of every line, and the objects they insure or cover.
//
// Its files, in the order in which the creation of a policy meets them:
//
//   - service.go declares the service: its settings, what it calls, and every resource.
//   - rules.go holds the settings that decide about policies.
//   - objects.go declares the vehicles, drivers, businesses, properties, travellers, debtors and pets.
//   - line.go turns the declaration of one line into a resource, with what all lines share.
//   - motor.go, cyber.go, travel.go, property.go, trade_credit.go, business_interruption.go and pet.go declare one
//     line each, with its checks in the order of the errors table.
//   - policyholder.go asks the parties service whether the policyholder exists.
//   - term.go checks the dates of a term.
//   - transitions.go declares endorse, cancel, lapse and renew; renewal.go computes the term of a renewal.
//   - internal.go serves other services: it returns the policy with a number, and accepts a report of non-payment.
//   - descriptions.go caches what internal.go says of a version of a policy.
package coverage
