// Package coverage is the service that owns the policies of every line, and the objects they insure or cover.
//
// Its files, in the order in which the creation of a policy meets them:
//
//	service.go                the service: its settings, what it calls, and every resource
//	rules.go                  the settings that decide about policies
//	objects.go                vehicles, drivers, businesses, properties, travellers, debtors and pets
//	line.go                   a line of cover as a resource, with what all lines share
//	motor.go                  motor cover, with its checks in the order of the errors table
//	cyber.go                  cyber cover
//	travel.go                 travel cover
//	property.go               property cover
//	trade_credit.go           trade credit cover
//	business_interruption.go  business interruption cover
//	pet.go                    pet cover
//	policyholder.go           asks parties whether the policyholder exists
//	term.go                   the dates of a term
//	unusual.go                what is unusual about a new policy or renewal
//	intermediary.go           the broker and the agent of a policy
//	replaces.go               the policy that a policy replaces
//	transitions.go            endorse, cancel, lapse and renew
//	renewal.go                the term of a renewal
//	keeping.go                the access list that a renewal has of the policy it renews
//	internal.go               for other services: the policy with a number, as it was described before, and reports of
//	                          non-payment
//	attachments.go            by what policies belong to contracts, for the desk
//	whole.go                  a policy with what belongs to it, for /x/policy
package coverage
