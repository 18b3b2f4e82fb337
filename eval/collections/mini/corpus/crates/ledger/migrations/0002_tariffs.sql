CREATE TABLE tariffs (
    valid_from   DATE NOT NULL,
    tonnage_from INTEGER NOT NULL,
    cents_per_gt INTEGER NOT NULL CHECK (cents_per_gt > 0),
    PRIMARY KEY (valid_from, tonnage_from)
);
