// Generated from the declarations of the services (make generate).
//
// Divides the collections of the exchange among the shards of a MongoDB cluster, by the hash of a field. Run it at a
// router (mongos), before the first start if you can: the collections are empty then. What is divided already stays as it
// is, so that it can be run again. The user needs the roles clusterManager, and dbAdmin on the databases of the services.
//
//   mongosh 'mongodb://router-0,router-1/' --username operator deploy/mongodb/shards.js
//   SERVICES=coverage,claims mongosh 'mongodb://router-0,router-1/' deploy/mongodb/shards.js
//   PLAN=1 mongosh --nodb deploy/mongodb/shards.js        # prints what it would do, and asks no server

const keys = [ // database, collection, field
  ["parties", "personal", "_id"], // records: every read and write of one names its id
  ["parties", "personal.claims", "_id"], // unique values: the _id is the value, so that one shard decides who has it
  ["parties", "personal.history", "doc"], // former versions: those of one record are read together
  ["parties", "commercial", "_id"], // records: every read and write of one names its id
  ["parties", "commercial.claims", "_id"], // unique values: the _id is the value, so that one shard decides who has it
  ["parties", "commercial.history", "doc"], // former versions: those of one record are read together
  ["parties", "insuranceEntity", "_id"], // records: every read and write of one names its id
  ["parties", "insuranceEntity.claims", "_id"], // unique values: the _id is the value, so that one shard decides who has it
  ["parties", "insuranceEntity.history", "doc"], // former versions: those of one record are read together
  ["parties", "beneficiary", "_id"], // records: every read and write of one names its id
  ["parties", "beneficiary.claims", "_id"], // unique values: the _id is the value, so that one shard decides who has it
  ["parties", "beneficiary.history", "doc"], // former versions: those of one record are read together
  ["parties", "log.segments", "_id"], // the log of changes: every read names the numbers of segments
  ["products", "policyWording", "_id"], // records: every read and write of one names its id
  ["products", "policyWording.claims", "_id"], // unique values: the _id is the value, so that one shard decides who has it
  ["products", "policyWording.history", "doc"], // former versions: those of one record are read together
  ["products", "product", "_id"], // records: every read and write of one names its id
  ["products", "product.claims", "_id"], // unique values: the _id is the value, so that one shard decides who has it
  ["products", "product.history", "doc"], // former versions: those of one record are read together
  ["products", "log.segments", "_id"], // the log of changes: every read names the numbers of segments
  ["coverage", "vehicle", "_id"], // records: every read and write of one names its id
  ["coverage", "vehicle.claims", "_id"], // unique values: the _id is the value, so that one shard decides who has it
  ["coverage", "vehicle.history", "doc"], // former versions: those of one record are read together
  ["coverage", "driver", "_id"], // records: every read and write of one names its id
  ["coverage", "driver.claims", "_id"], // unique values: the _id is the value, so that one shard decides who has it
  ["coverage", "driver.history", "doc"], // former versions: those of one record are read together
  ["coverage", "business", "_id"], // records: every read and write of one names its id
  ["coverage", "business.claims", "_id"], // unique values: the _id is the value, so that one shard decides who has it
  ["coverage", "business.history", "doc"], // former versions: those of one record are read together
  ["coverage", "traveller", "_id"], // records: every read and write of one names its id
  ["coverage", "traveller.claims", "_id"], // unique values: the _id is the value, so that one shard decides who has it
  ["coverage", "traveller.history", "doc"], // former versions: those of one record are read together
  ["coverage", "property", "_id"], // records: every read and write of one names its id
  ["coverage", "property.claims", "_id"], // unique values: the _id is the value, so that one shard decides who has it
  ["coverage", "property.history", "doc"], // former versions: those of one record are read together
  ["coverage", "debtor", "_id"], // records: every read and write of one names its id
  ["coverage", "debtor.claims", "_id"], // unique values: the _id is the value, so that one shard decides who has it
  ["coverage", "debtor.history", "doc"], // former versions: those of one record are read together
  ["coverage", "pet", "_id"], // records: every read and write of one names its id
  ["coverage", "pet.claims", "_id"], // unique values: the _id is the value, so that one shard decides who has it
  ["coverage", "pet.history", "doc"], // former versions: those of one record are read together
  ["coverage", "policy", "_id"], // records: every read and write of one names its id
  ["coverage", "policy.claims", "_id"], // unique values: the _id is the value, so that one shard decides who has it
  ["coverage", "policy.history", "doc"], // former versions: those of one record are read together
  ["coverage", "log.segments", "_id"], // the log of changes: every read names the numbers of segments
  ["claims", "claim", "_id"], // records: every read and write of one names its id
  ["claims", "claim.claims", "_id"], // unique values: the _id is the value, so that one shard decides who has it
  ["claims", "claim.history", "doc"], // former versions: those of one record are read together
  ["claims", "claimsBordereau", "_id"], // records: every read and write of one names its id
  ["claims", "claimsBordereau.claims", "_id"], // unique values: the _id is the value, so that one shard decides who has it
  ["claims", "claimsBordereau.history", "doc"], // former versions: those of one record are read together
  ["claims", "log.segments", "_id"], // the log of changes: every read names the numbers of segments
  ["premium", "receipt", "_id"], // records: every read and write of one names its id
  ["premium", "receipt.claims", "_id"], // unique values: the _id is the value, so that one shard decides who has it
  ["premium", "receipt.history", "doc"], // former versions: those of one record are read together
  ["premium", "premiumBordereau", "_id"], // records: every read and write of one names its id
  ["premium", "premiumBordereau.claims", "_id"], // unique values: the _id is the value, so that one shard decides who has it
  ["premium", "premiumBordereau.history", "doc"], // former versions: those of one record are read together
  ["premium", "log.segments", "_id"], // the log of changes: every read names the numbers of segments
  ["feed", "log.segments", "_id"], // the log of changes: every read names the numbers of segments
  ["desk", "log.segments", "_id"], // the log of changes: every read names the numbers of segments
  ["book", "log.segments", "_id"], // the log of changes: every read names the numbers of segments
  ["composite", "log.segments", "_id"], // the log of changes: every read names the numbers of segments
];

const services = (process.env.SERVICES || '').split(',').filter(Boolean);
const unknown = services.filter((name) => !keys.some(([database]) => database === name));
if (unknown.length > 0) throw new Error(`there is no service ${unknown.join(', ')}`);
const wanted = keys.filter(([database]) => services.length === 0 || services.includes(database));

if (process.env.PLAN) {
  for (const [database, collection, field] of wanted) print(`${database}.${collection}: { ${field}: "hashed" }`);
} else {
  if (db.hello().msg !== 'isdbgrid') throw new Error('the server is no router of a sharded cluster; name the routers (mongos)');
  for (const [database, collection, field] of wanted) {
    const namespace = `${database}.${collection}`;
    const is = db.getSiblingDB('config').collections.findOne({ _id: namespace });
    if (is && is.key && !is.dropped) {
      if (EJSON.stringify(is.key) !== EJSON.stringify({ [field]: 'hashed' })) {
        throw new Error(`${namespace} is divided by ${EJSON.stringify(is.key)}; reshardCollection changes it`);
      }
      print(`${namespace} is divided already`);
      continue;
    }
    sh.enableSharding(database);
    // An empty collection would get it from the next command, and one with documents would be refused.
    db.getSiblingDB(database).getCollection(collection).createIndex({ [field]: 'hashed' });
    sh.shardCollection(namespace, { [field]: 'hashed' });
    print(`${namespace} is divided now`);
  }
}
