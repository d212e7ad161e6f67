package sides

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"

	"github.com/google/uuid"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	mongooptions "go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readconcern"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"insurance.example/exchange/deploy/proof/bench/load"
	"insurance.example/exchange/deploy/proof/bench/records"
	"insurance.example/exchange/deploy/proof/e2e/trial"
	"insurance.example/exchange/pkg/number"
)

var mongoURI = regexp.MustCompile(`(mongodb://\S+)`)

// StartMongo starts the server that stands in for MongoDB and returns its URL.
func StartMongo(commands *trial.Commands) (server *trial.Process, uri string, err error) {
	if server, err = trial.Start(commands.Path("standin-documentdb"), nil, "-addr", "127.0.0.1:0"); err == nil {
		if uri, err = server.Find(server.Stdout, mongoURI); err != nil {
			err = errors.Join(err, server.Kill())
		}
	}
	if err != nil {
		return nil, "", fmt.Errorf("%w; it runs as root on Debian, and fetches PostgreSQL at its first start; "+
			"elsewhere name a MongoDB with -mongo-url", err)
	}
	return server, uri, nil
}

// Driver does with MongoDB's driver alone what the services do there: the same commands, on the same collections with
// their indexes and documents, with the same concerns.
type Driver struct {
	client                   *mongo.Client
	vehicles, claims, policy *mongo.Collection
	// issued and policyNumbers are the unique numbers of claims and policies; README.md of mongostore has their form.
	issued, policyNumbers *mongo.Collection
	// vehicle and claim are documents as the services store them, of which those that are inserted are copies.
	vehicle, claim bson.Raw
}

// ConnectDriver connects to the databases of an exchange in which there is a vehicle and a claim.
func ConnectDriver(ctx context.Context, uri string, connections int) (*Driver, error) {
	journaled := true
	client, err := mongo.Connect(mongooptions.Client().ApplyURI(uri).SetMaxPoolSize(uint64(connections)).
		SetWriteConcern(&writeconcern.WriteConcern{W: writeconcern.WCMajority, Journal: &journaled}).
		SetReadConcern(readconcern.Majority()).SetReadPreference(readpref.Primary()))
	if err != nil {
		return nil, err
	}
	coverage, claims := client.Database("coverage"), client.Database("claims")
	d := &Driver{
		client: client, vehicles: coverage.Collection("vehicle"), claims: claims.Collection("claim"),
		policy: coverage.Collection("policy"),
		issued: claims.Collection("claim.claims"), policyNumbers: coverage.Collection("policy.claims"),
	}
	for from, to := range map[*mongo.Collection]*bson.Raw{d.vehicles: &d.vehicle, d.claims: &d.claim} {
		if *to, err = from.FindOne(ctx, bson.D{}).Raw(); err != nil {
			d.Close()
			return nil, fmt.Errorf("a document of %s.%s: %w", from.Database().Name(), from.Name(), err)
		}
	}
	return d, nil
}

// Close ends the connections.
func (d *Driver) Close() { _ = d.client.Disconnect(context.Background()) }

// Row returns what the driver does for the row of a name.
func (d *Driver) Row(name string, b *records.Book) *load.Row {
	perform := map[string]func(context.Context, uint64) error{
		"GET /vehicle/{id}": func(ctx context.Context, n uint64) error {
			id, err := uuid.Parse(load.Pick(b.Vehicles, n))
			if err != nil {
				return err
			}
			_, err = d.vehicles.FindOne(ctx, bson.D{{Key: "_id", Value: binaryOf(id)}},
				mongooptions.FindOne().SetProjection(withoutKeys)).Raw()
			return err
		},
		"GET /claim?policyNumber=": func(ctx context.Context, n uint64) error {
			key := bson.D{{Key: "k.policyNumber", Value: bson.D{{Key: "$eq", Value: load.Pick(b.Policies, n)}}}}
			return list(ctx, d.claims, bson.D{{Key: "$and", Value: bson.A{key}}}, 1,
				mongooptions.Find().SetHint("by_policyNumber"))
		},
		"GET /vehicle?limit=50": func(ctx context.Context, _ uint64) error {
			all := bson.D{{Key: "v", Value: bson.D{{Key: "$gt", Value: 0}}}}
			return list(ctx, d.vehicles, bson.D{{Key: "$and", Value: bson.A{all}}}, 51, mongooptions.Find())
		},
		"POST /vehicle": func(ctx context.Context, _ uint64) error {
			made, _ := another(d.vehicle)
			_, err := d.vehicles.InsertOne(ctx, made)
			return err
		},
		"POST /claim": func(ctx context.Context, n uint64) error {
			return d.createClaim(ctx, load.Pick(b.Policies, n))
		},
	}[name]
	return &load.Row{Name: name, Status: http.StatusOK, Perform: func(ctx context.Context, n uint64) int {
		// The end of a slice does not end what has begun: the driver refuses at once what it could not finish in time.
		if perform(context.WithoutCancel(ctx), n) != nil {
			return 0
		}
		return http.StatusOK
	}}
}

// withoutKeys is the projection of documents as they are read.
var withoutKeys = bson.D{{Key: "k", Value: 0}, {Key: "w", Value: 0}, {Key: "t", Value: 0}, {Key: "s", Value: 0},
	{Key: "a", Value: 0}}

// list reads up to limit documents in order of id, of which there must be at least one.
func list(ctx context.Context, from *mongo.Collection, filter bson.D, limit int32,
	how *mongooptions.FindOptionsBuilder) error {
	found, err := from.Find(ctx, filter, how.SetProjection(append(bson.D{{Key: "state", Value: 0}}, withoutKeys...)).
		SetSort(bson.D{{Key: "_id", Value: 1}}).SetLimit(int64(limit)).SetBatchSize(limit))
	if err != nil {
		return err
	}
	var documents []bson.Raw
	if err := found.All(ctx, &documents); err != nil {
		return err
	}
	if len(documents) == 0 {
		return mongo.ErrNoDocuments
	}
	return nil
}

// createClaim looks a policy up by its number, and inserts a claim with a number of its own.
func (d *Driver) createClaim(ctx context.Context, policyNumber string) error {
	var owner struct {
		Document bson.Binary `bson:"doc"`
	}
	if err := d.policyNumbers.FindOne(ctx, bson.D{{Key: "_id",
		Value: "policyNumber:" + policyNumber}}).Decode(&owner); err != nil {
		return err
	}
	if _, err := d.policy.FindOne(ctx, bson.D{{Key: "_id", Value: owner.Document}},
		mongooptions.FindOne().SetProjection(withoutKeys)).Raw(); err != nil {
		return err
	}
	made, id := another(d.claim)
	issued := bson.D{{Key: "_id", Value: "claimNumber:" + number.Of("CLM", id)}, {Key: "doc", Value: binaryOf(id)},
		{Key: "n", Value: bson.NewObjectID()}}
	if _, err := d.issued.InsertMany(ctx, []bson.D{issued}); err != nil {
		return err
	}
	_, err := d.claims.InsertOne(ctx, made)
	return err
}

// another returns a copy of a document with another id. What follows from the id, such as the number of a claim, has
// the same length.
func another(of bson.Raw) (bson.Raw, uuid.UUID) {
	id := uuid.Must(uuid.NewV7())
	_, data := of.Lookup("_id").Binary()
	former := uuid.UUID(data)
	made := bytes.ReplaceAll(of, former[:], id[:])
	made = bytes.ReplaceAll(made, []byte(former.String()), []byte(id.String()))
	made = bytes.ReplaceAll(made, []byte(number.Of("CLM", former)), []byte(number.Of("CLM", id)))
	write, fresh := of.Lookup("w").ObjectID(), bson.NewObjectID()
	return bytes.ReplaceAll(made, write[:], fresh[:]), id
}

func binaryOf(id uuid.UUID) bson.Binary {
	return bson.Binary{Subtype: bson.TypeBinaryUUID, Data: id[:]}
}
