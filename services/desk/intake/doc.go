// Package intake makes records of the rows of files. A file is read and checked first, which writes no record; then its
// records are made by the ordinary operations, in parts: a request works for a short time, says how far the import has
// come, and the next one goes on from there. Each record is made under an Idempotency-Key that follows from the row, so
// that an import that was stopped anywhere and goes on makes nothing twice, nor does one of a file that was mended.
// What a row was made of in part, the mended row takes over.
//
// Its files, in the order in which a file meets them:
//
//	intake.go   what is kept of an import
//	send.go     a file that is sent: how it is written, and its columns
//	read.go     its rows, from the first one that is not checked yet
//	compose.go  the bodies of the records of a row
//	check.go    what would become of the rows
//	apply.go    their records are made
//	left.go     what rows have left that were not made whole, and who takes it over
//	examine.go  faults in what is stored of imports
//	rows.go     the rows with what became of them
package intake
