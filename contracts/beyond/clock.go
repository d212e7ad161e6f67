// Package beyond holds the bodies of operations that the interface does not name and that are not about one resource.
package beyond

import "insurance.example/exchange/contracts/scalar"

// Clock is the test clock of an exchange.
//
// The instant that the exchange takes for the present one. It stands still until it is moved forward.
type Clock struct {
	// What the clock shows, in UTC.
	Now scalar.DateTime `json:"now"`
}

// ClockMove is how the test clock is moved.
//
// The instant that the test clock is moved forward to.
type ClockMove struct {
	// The instant that the clock is to show. It is later than the one that it shows.
	To scalar.DateTime `json:"to,omitzero"`
}
