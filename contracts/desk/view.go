package desk

import "insurance.example/exchange/contracts/scalar"

// BookListName is the name of a list of the book that a view shows.
type BookListName string

// The lists, by the last part of their paths.
const (
	ViewedPolicies  BookListName = "policies"
	ViewedClaims    BookListName = "claims"
	ViewedMovements BookListName = "movements"
	ViewedLate      BookListName = "late"
)

// BookViewTerms is what a view shows.
//
// A list of the book with the conditions, the order and the columns that somebody wants again.
type BookViewTerms struct {
	// The list of the book.
	List BookListName `json:"list"`
	// The parameters of the list, as in an address: its conditions, sort and columns, without cursor and limit:
	// 16,384 bytes at most. Empty for the whole list.
	Query string `json:"query,omitzero"`
}

// BookView is a view that somebody keeps under a name.
//
// A view, which is its person's alone.
type BookView struct {
	// Its name, unique among those of the person.
	Name string `json:"name"`
	BookViewTerms
	// The path of the rows that it shows.
	Rows string `json:"rows"`
	// When it was put last.
	SetAt scalar.DateTime `json:"setAt"`
}

// BookViewList is a list of views.
//
// All views of the caller, by name: 100 at most.
type BookViewList struct {
	// The views.
	Views []BookView `json:"views"`
}
