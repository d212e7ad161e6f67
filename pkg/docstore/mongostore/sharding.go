package mongostore

import "insurance.example/exchange/pkg/docstore"

// ShardKey says how a collection is divided among the shards of a cluster: by the hash of a field.
type ShardKey struct {
	Collection, Field string
	// Why says why this field.
	Why string
}

// ShardKeys returns how a database is divided that has collections of these specs. Every collection that grows with
// the records is among them. The others hold a few documents and stay on one shard.
func ShardKeys(specs []docstore.Spec) []ShardKey {
	var keys []ShardKey
	for _, spec := range specs {
		keys = append(keys,
			ShardKey{spec.Name, idField, "records: every read and write of one names its id"},
			ShardKey{spec.Name + reservationsSuffix, idField,
				"unique values: the _id is the value, so that one shard decides who has it"},
			ShardKey{spec.Name + historySuffix, documentField,
				"former versions: those of one record are read together"})
	}
	return append(keys, ShardKey{segmentsName, idField, "the log of changes: every read names the numbers of segments"})
}
