-- What the contract does not know is refused, whoever writes it, by the name of the rule. A row from before a rule stays as it
-- is; an update is judged by the rules of the columns that it changes.

-- ISO 4217 and ISO 3166-1, as the program knows them. A later code comes with a migration.
CREATE TABLE currency_codes (code TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE country_codes (code TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO currency_codes (code) VALUES
  ('AED'), ('AFN'), ('ALL'), ('AMD'), ('AOA'), ('ARS'), ('AUD'), ('AWG'), ('AZN'), ('BAM'), ('BBD'), ('BDT'), ('BHD'),
  ('BIF'), ('BMD'), ('BND'), ('BOB'), ('BOV'), ('BRL'), ('BSD'), ('BTN'), ('BWP'), ('BYN'), ('BZD'), ('CAD'), ('CDF'),
  ('CHE'), ('CHF'), ('CHW'), ('CLF'), ('CLP'), ('CNY'), ('COP'), ('COU'), ('CRC'), ('CUP'), ('CVE'), ('CZK'), ('DJF'),
  ('DKK'), ('DOP'), ('DZD'), ('EGP'), ('ERN'), ('ETB'), ('EUR'), ('FJD'), ('FKP'), ('GBP'), ('GEL'), ('GHS'), ('GIP'),
  ('GMD'), ('GNF'), ('GTQ'), ('GYD'), ('HKD'), ('HNL'), ('HTG'), ('HUF'), ('IDR'), ('ILS'), ('INR'), ('IQD'), ('IRR'),
  ('ISK'), ('JMD'), ('JOD'), ('JPY'), ('KES'), ('KGS'), ('KHR'), ('KMF'), ('KPW'), ('KRW'), ('KWD'), ('KYD'), ('KZT'),
  ('LAK'), ('LBP'), ('LKR'), ('LRD'), ('LSL'), ('LYD'), ('MAD'), ('MDL'), ('MGA'), ('MKD'), ('MMK'), ('MNT'), ('MOP'),
  ('MRU'), ('MUR'), ('MVR'), ('MWK'), ('MXN'), ('MXV'), ('MYR'), ('MZN'), ('NAD'), ('NGN'), ('NIO'), ('NOK'), ('NPR'),
  ('NZD'), ('OMR'), ('PAB'), ('PEN'), ('PGK'), ('PHP'), ('PKR'), ('PLN'), ('PYG'), ('QAR'), ('RON'), ('RSD'), ('RUB'),
  ('RWF'), ('SAR'), ('SBD'), ('SCR'), ('SDG'), ('SEK'), ('SGD'), ('SHP'), ('SLE'), ('SOS'), ('SRD'), ('SSP'), ('STN'),
  ('SVC'), ('SYP'), ('SZL'), ('THB'), ('TJS'), ('TMT'), ('TND'), ('TOP'), ('TRY'), ('TTD'), ('TWD'), ('TZS'), ('UAH'),
  ('UGX'), ('USD'), ('USN'), ('UYI'), ('UYU'), ('UYW'), ('UZS'), ('VED'), ('VES'), ('VND'), ('VUV'), ('WST'), ('XAF'),
  ('XCD'), ('XCG'), ('XOF'), ('XPF'), ('YER'), ('ZAR'), ('ZMW'), ('ZWG');
INSERT INTO country_codes (code) VALUES
  ('AD'), ('AE'), ('AF'), ('AG'), ('AI'), ('AL'), ('AM'), ('AO'), ('AQ'), ('AR'), ('AS'), ('AT'), ('AU'), ('AW'),
  ('AX'), ('AZ'), ('BA'), ('BB'), ('BD'), ('BE'), ('BF'), ('BG'), ('BH'), ('BI'), ('BJ'), ('BL'), ('BM'), ('BN'),
  ('BO'), ('BQ'), ('BR'), ('BS'), ('BT'), ('BV'), ('BW'), ('BY'), ('BZ'), ('CA'), ('CC'), ('CD'), ('CF'), ('CG'),
  ('CH'), ('CI'), ('CK'), ('CL'), ('CM'), ('CN'), ('CO'), ('CR'), ('CU'), ('CV'), ('CW'), ('CX'), ('CY'), ('CZ'),
  ('DE'), ('DJ'), ('DK'), ('DM'), ('DO'), ('DZ'), ('EC'), ('EE'), ('EG'), ('EH'), ('ER'), ('ES'), ('ET'), ('FI'),
  ('FJ'), ('FK'), ('FM'), ('FO'), ('FR'), ('GA'), ('GB'), ('GD'), ('GE'), ('GF'), ('GG'), ('GH'), ('GI'), ('GL'),
  ('GM'), ('GN'), ('GP'), ('GQ'), ('GR'), ('GS'), ('GT'), ('GU'), ('GW'), ('GY'), ('HK'), ('HM'), ('HN'), ('HR'),
  ('HT'), ('HU'), ('ID'), ('IE'), ('IL'), ('IM'), ('IN'), ('IO'), ('IQ'), ('IR'), ('IS'), ('IT'), ('JE'), ('JM'),
  ('JO'), ('JP'), ('KE'), ('KG'), ('KH'), ('KI'), ('KM'), ('KN'), ('KP'), ('KR'), ('KW'), ('KY'), ('KZ'), ('LA'),
  ('LB'), ('LC'), ('LI'), ('LK'), ('LR'), ('LS'), ('LT'), ('LU'), ('LV'), ('LY'), ('MA'), ('MC'), ('MD'), ('ME'),
  ('MF'), ('MG'), ('MH'), ('MK'), ('ML'), ('MM'), ('MN'), ('MO'), ('MP'), ('MQ'), ('MR'), ('MS'), ('MT'), ('MU'),
  ('MV'), ('MW'), ('MX'), ('MY'), ('MZ'), ('NA'), ('NC'), ('NE'), ('NF'), ('NG'), ('NI'), ('NL'), ('NO'), ('NP'),
  ('NR'), ('NU'), ('NZ'), ('OM'), ('PA'), ('PE'), ('PF'), ('PG'), ('PH'), ('PK'), ('PL'), ('PM'), ('PN'), ('PR'),
  ('PS'), ('PT'), ('PW'), ('PY'), ('QA'), ('RE'), ('RO'), ('RS'), ('RU'), ('RW'), ('SA'), ('SB'), ('SC'), ('SD'),
  ('SE'), ('SG'), ('SH'), ('SI'), ('SJ'), ('SK'), ('SL'), ('SM'), ('SN'), ('SO'), ('SR'), ('SS'), ('ST'), ('SV'),
  ('SX'), ('SY'), ('SZ'), ('TC'), ('TD'), ('TF'), ('TG'), ('TH'), ('TJ'), ('TK'), ('TL'), ('TM'), ('TN'), ('TO'),
  ('TR'), ('TT'), ('TV'), ('TW'), ('TZ'), ('UA'), ('UG'), ('UM'), ('US'), ('UY'), ('UZ'), ('VA'), ('VC'), ('VE'),
  ('VG'), ('VI'), ('VN'), ('VU'), ('WF'), ('WS'), ('YE'), ('YT'), ('ZA'), ('ZM'), ('ZW');

DROP TRIGGER workspace_inserted_checked;
DROP TRIGGER workspace_updated_checked;

CREATE TRIGGER workspace_inserted_checked BEFORE INSERT ON workspaces BEGIN
  SELECT CASE
    WHEN NEW.id = ''
      THEN RAISE(ABORT, 'workspaces_id_not_empty: id must not be empty')
    WHEN length(NEW.id) > 200
      THEN RAISE(ABORT, 'workspaces_id_at_most_200_characters: id must be at most 200 characters')
    WHEN length(NEW.id) <> length(CAST(NEW.id AS BLOB)) AND instr(NEW.id, char(0))
      THEN RAISE(ABORT, 'workspaces_id_without_nul: id must not hold a NUL character')
    WHEN (NEW.id GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW.id, char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW.id) <> length(CAST(NEW.id AS BLOB)) AND unicode(substr(NEW.id, -1)) <> 65533
        AND char(unicode(substr(NEW.id, -1))) <> substr(NEW.id, -1))
      THEN RAISE(ABORT, 'workspaces_id_is_utf8: id must be text in UTF-8')
    WHEN length(NEW.slug) NOT BETWEEN 1 AND 63 OR NEW.slug GLOB '*[^a-z0-9-]*' OR NEW.slug GLOB '-*' OR NEW.slug GLOB '*-'
      OR instr(NEW.slug, char(0))
      THEN RAISE(ABORT, 'workspaces_slug_form: slug must be 1 to 63 lower-case letters, digits and dashes, with no dash at either end')
    WHEN NEW.name = ''
      THEN RAISE(ABORT, 'workspaces_name_not_empty: name must not be empty')
    WHEN length(NEW.name) > 200
      THEN RAISE(ABORT, 'workspaces_name_at_most_200_characters: name must be at most 200 characters')
    WHEN length(NEW.name) <> length(CAST(NEW.name AS BLOB)) AND instr(NEW.name, char(0))
      THEN RAISE(ABORT, 'workspaces_name_without_nul: name must not hold a NUL character')
    WHEN (NEW.name GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW.name, char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW.name) <> length(CAST(NEW.name AS BLOB)) AND unicode(substr(NEW.name, -1)) <> 65533
        AND char(unicode(substr(NEW.name, -1))) <> substr(NEW.name, -1))
      THEN RAISE(ABORT, 'workspaces_name_is_utf8: name must be text in UTF-8')
    WHEN NEW.timezone NOT IN (SELECT name FROM timezones)
      THEN RAISE(ABORT, 'workspaces_timezone_known: timezone must be a name of the IANA database, as it is spelled there')
    WHEN NEW.currency_code NOT IN (SELECT code FROM currency_codes)
      THEN RAISE(ABORT, 'workspaces_currency_code_known: currency_code must be an ISO 4217 code in capitals, such as GBP')
    WHEN NEW.country_code NOT IN (SELECT code FROM country_codes)
      THEN RAISE(ABORT, 'workspaces_country_code_known: country_code must be an ISO 3166-1 alpha-2 code in capitals, such as GB')
    WHEN NEW.created_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.created_at < '0001' OR (NEW.created_at IS NOT NULL AND julianday(NEW.created_at) IS NULL)
      OR ((substr(NEW.created_at, 9, 2) > '28' OR substr(NEW.created_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.created_at, '+0 days') IS NOT NEW.created_at)
      THEN RAISE(ABORT, 'workspaces_created_at_in_years_1_to_9999: created_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW.archived_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.archived_at < '0001' OR (NEW.archived_at IS NOT NULL AND julianday(NEW.archived_at) IS NULL)
      OR ((substr(NEW.archived_at, 9, 2) > '28' OR substr(NEW.archived_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.archived_at, '+0 days') IS NOT NEW.archived_at)
      THEN RAISE(ABORT, 'workspaces_archived_at_in_years_1_to_9999: archived_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
  END;
END;
CREATE TRIGGER workspace_updated_checked BEFORE UPDATE OF id, slug, name, timezone, currency_code, country_code, created_at, archived_at ON workspaces BEGIN
  SELECT CASE
    WHEN NEW.id IS NOT OLD.id AND NEW.id = ''
      THEN RAISE(ABORT, 'workspaces_id_not_empty: id must not be empty')
    WHEN NEW.id IS NOT OLD.id AND length(NEW.id) > 200
      THEN RAISE(ABORT, 'workspaces_id_at_most_200_characters: id must be at most 200 characters')
    WHEN NEW.id IS NOT OLD.id AND length(NEW.id) <> length(CAST(NEW.id AS BLOB)) AND instr(NEW.id, char(0))
      THEN RAISE(ABORT, 'workspaces_id_without_nul: id must not hold a NUL character')
    WHEN NEW.id IS NOT OLD.id AND ((NEW.id GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW.id, char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW.id) <> length(CAST(NEW.id AS BLOB)) AND unicode(substr(NEW.id, -1)) <> 65533
        AND char(unicode(substr(NEW.id, -1))) <> substr(NEW.id, -1)))
      THEN RAISE(ABORT, 'workspaces_id_is_utf8: id must be text in UTF-8')
    WHEN NEW.slug IS NOT OLD.slug AND (length(NEW.slug) NOT BETWEEN 1 AND 63 OR NEW.slug GLOB '*[^a-z0-9-]*' OR NEW.slug GLOB '-*' OR NEW.slug GLOB '*-'
      OR instr(NEW.slug, char(0)))
      THEN RAISE(ABORT, 'workspaces_slug_form: slug must be 1 to 63 lower-case letters, digits and dashes, with no dash at either end')
    WHEN NEW.name IS NOT OLD.name AND NEW.name = ''
      THEN RAISE(ABORT, 'workspaces_name_not_empty: name must not be empty')
    WHEN NEW.name IS NOT OLD.name AND length(NEW.name) > 200
      THEN RAISE(ABORT, 'workspaces_name_at_most_200_characters: name must be at most 200 characters')
    WHEN NEW.name IS NOT OLD.name AND length(NEW.name) <> length(CAST(NEW.name AS BLOB)) AND instr(NEW.name, char(0))
      THEN RAISE(ABORT, 'workspaces_name_without_nul: name must not hold a NUL character')
    WHEN NEW.name IS NOT OLD.name AND ((NEW.name GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW.name, char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW.name) <> length(CAST(NEW.name AS BLOB)) AND unicode(substr(NEW.name, -1)) <> 65533
        AND char(unicode(substr(NEW.name, -1))) <> substr(NEW.name, -1)))
      THEN RAISE(ABORT, 'workspaces_name_is_utf8: name must be text in UTF-8')
    WHEN NEW.timezone IS NOT OLD.timezone AND NEW.timezone NOT IN (SELECT name FROM timezones)
      THEN RAISE(ABORT, 'workspaces_timezone_known: timezone must be a name of the IANA database, as it is spelled there')
    WHEN NEW.currency_code IS NOT OLD.currency_code AND NEW.currency_code NOT IN (SELECT code FROM currency_codes)
      THEN RAISE(ABORT, 'workspaces_currency_code_known: currency_code must be an ISO 4217 code in capitals, such as GBP')
    WHEN NEW.country_code IS NOT OLD.country_code AND NEW.country_code NOT IN (SELECT code FROM country_codes)
      THEN RAISE(ABORT, 'workspaces_country_code_known: country_code must be an ISO 3166-1 alpha-2 code in capitals, such as GB')
    WHEN NEW.created_at IS NOT OLD.created_at AND (NEW.created_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.created_at < '0001' OR (NEW.created_at IS NOT NULL AND julianday(NEW.created_at) IS NULL)
      OR ((substr(NEW.created_at, 9, 2) > '28' OR substr(NEW.created_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.created_at, '+0 days') IS NOT NEW.created_at))
      THEN RAISE(ABORT, 'workspaces_created_at_in_years_1_to_9999: created_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW.archived_at IS NOT OLD.archived_at AND (NEW.archived_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.archived_at < '0001' OR (NEW.archived_at IS NOT NULL AND julianday(NEW.archived_at) IS NULL)
      OR ((substr(NEW.archived_at, 9, 2) > '28' OR substr(NEW.archived_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.archived_at, '+0 days') IS NOT NEW.archived_at))
      THEN RAISE(ABORT, 'workspaces_archived_at_in_years_1_to_9999: archived_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
  END;
END;

CREATE TRIGGER member_inserted_checked BEFORE INSERT ON members BEGIN
  SELECT CASE
    WHEN length(NEW.email) > 254
      THEN RAISE(ABORT, 'members_email_at_most_254_characters: email must be at most 254 characters')
    WHEN length(NEW.email) <> length(CAST(NEW.email AS BLOB)) OR instr(NEW.email, '@') < 2 OR instr(substr(NEW.email, instr(NEW.email, '@') + 1), '@')
      OR NEW.email GLOB '.*' OR instr(NEW.email, '..') OR instr(NEW.email, '.@')
      OR NEW.email GLOB '*@[^a-zA-Z0-9]*' OR substr(NEW.email, -1) GLOB '[^a-zA-Z0-9]'
      OR (NEW.email GLOB '*[^a-zA-Z0-9.@]*' AND (NEW.email GLOB '*@*[^a-zA-Z0-9.-]*' OR NEW.email GLOB '*@*.-*' OR NEW.email GLOB '*@*-.*'
        OR NEW.email GLOB '*[^a-zA-Z0-9!#$%&''*+/=?^_`{|}~.@-]*'))
      OR (length(NEW.email) > 65 AND NEW.email GLOB '*@*' || replace(hex(zeroblob(32)), '0', '[^.]') || '*')
      THEN RAISE(ABORT, 'members_email_is_an_address: email must be an email address')
    WHEN NEW.email <> lower(NEW.email)
      THEN RAISE(ABORT, 'members_email_in_lower_case: email must be in lower case')
    WHEN NEW.role NOT IN ('owner', 'admin', 'member')
      THEN RAISE(ABORT, 'members_role_is_known: role must be one of owner, admin, member')
    WHEN NEW.added_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.added_at < '0001' OR (NEW.added_at IS NOT NULL AND julianday(NEW.added_at) IS NULL)
      OR ((substr(NEW.added_at, 9, 2) > '28' OR substr(NEW.added_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.added_at, '+0 days') IS NOT NEW.added_at)
      THEN RAISE(ABORT, 'members_added_at_in_years_1_to_9999: added_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = NEW.workspace_id)
      THEN RAISE(ABORT, 'members_workspace_exists: workspace_id must be the id of a workspace that exists')
  END;
END;
CREATE TRIGGER member_updated_checked BEFORE UPDATE OF email, role, added_at, workspace_id ON members BEGIN
  SELECT CASE
    WHEN NEW.email IS NOT OLD.email AND length(NEW.email) > 254
      THEN RAISE(ABORT, 'members_email_at_most_254_characters: email must be at most 254 characters')
    WHEN NEW.email IS NOT OLD.email AND (length(NEW.email) <> length(CAST(NEW.email AS BLOB)) OR instr(NEW.email, '@') < 2 OR instr(substr(NEW.email, instr(NEW.email, '@') + 1), '@')
      OR NEW.email GLOB '.*' OR instr(NEW.email, '..') OR instr(NEW.email, '.@')
      OR NEW.email GLOB '*@[^a-zA-Z0-9]*' OR substr(NEW.email, -1) GLOB '[^a-zA-Z0-9]'
      OR (NEW.email GLOB '*[^a-zA-Z0-9.@]*' AND (NEW.email GLOB '*@*[^a-zA-Z0-9.-]*' OR NEW.email GLOB '*@*.-*' OR NEW.email GLOB '*@*-.*'
        OR NEW.email GLOB '*[^a-zA-Z0-9!#$%&''*+/=?^_`{|}~.@-]*'))
      OR (length(NEW.email) > 65 AND NEW.email GLOB '*@*' || replace(hex(zeroblob(32)), '0', '[^.]') || '*'))
      THEN RAISE(ABORT, 'members_email_is_an_address: email must be an email address')
    WHEN NEW.email IS NOT OLD.email AND NEW.email <> lower(NEW.email)
      THEN RAISE(ABORT, 'members_email_in_lower_case: email must be in lower case')
    WHEN NEW.role IS NOT OLD.role AND NEW.role NOT IN ('owner', 'admin', 'member')
      THEN RAISE(ABORT, 'members_role_is_known: role must be one of owner, admin, member')
    WHEN NEW.added_at IS NOT OLD.added_at AND (NEW.added_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.added_at < '0001' OR (NEW.added_at IS NOT NULL AND julianday(NEW.added_at) IS NULL)
      OR ((substr(NEW.added_at, 9, 2) > '28' OR substr(NEW.added_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.added_at, '+0 days') IS NOT NEW.added_at))
      THEN RAISE(ABORT, 'members_added_at_in_years_1_to_9999: added_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = NEW.workspace_id)
      THEN RAISE(ABORT, 'members_workspace_exists: workspace_id must be the id of a workspace that exists')
  END;
END;

CREATE TRIGGER key_inserted_checked BEFORE INSERT ON api_keys BEGIN
  SELECT CASE
    WHEN length(NEW.hash) <> 64 OR NEW.hash GLOB '*[^0-9a-f]*'
      THEN RAISE(ABORT, 'api_keys_hash_form: hash must be the SHA-256 of a key, in lower-case hexadecimal')
    WHEN NEW.label = ''
      THEN RAISE(ABORT, 'api_keys_label_not_empty: label must not be empty')
    WHEN length(NEW.label) > 100
      THEN RAISE(ABORT, 'api_keys_label_at_most_100_characters: label must be at most 100 characters')
    WHEN length(NEW.label) <> length(CAST(NEW.label AS BLOB)) AND instr(NEW.label, char(0))
      THEN RAISE(ABORT, 'api_keys_label_without_nul: label must not hold a NUL character')
    WHEN (NEW.label GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW.label, char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW.label) <> length(CAST(NEW.label AS BLOB)) AND unicode(substr(NEW.label, -1)) <> 65533
        AND char(unicode(substr(NEW.label, -1))) <> substr(NEW.label, -1))
      THEN RAISE(ABORT, 'api_keys_label_is_utf8: label must be text in UTF-8')
    WHEN '|' || replace(NEW.permissions || ',', ':read,', '|') NOT GLOB '|?*|' OR '|' || replace(NEW.permissions || ',', ':read,', '|') GLOB '*[, ]*'
      OR instr(replace(NEW.permissions || ',', ':read,', '|'), '||')
      THEN RAISE(ABORT, 'api_keys_permissions_form: permissions must be comma-separated, each such as workspace:read')
    WHEN (NEW.rate_limit IS NULL) <> (NEW.rate_window_seconds IS NULL)
      THEN RAISE(ABORT, 'api_keys_rate_limit_whole: rate_limit and rate_window_seconds are both set, or neither')
    WHEN NEW.rate_limit NOT BETWEEN 1 AND 1000000000
      THEN RAISE(ABORT, 'api_keys_rate_limit_in_range: rate_limit must be from 1 to 1000000000')
    WHEN NEW.rate_window_seconds NOT BETWEEN 1 AND 86400
      THEN RAISE(ABORT, 'api_keys_rate_window_seconds_in_range: rate_window_seconds must be from 1 to 86400')
    WHEN NEW.created_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.created_at < '0001' OR (NEW.created_at IS NOT NULL AND julianday(NEW.created_at) IS NULL)
      OR ((substr(NEW.created_at, 9, 2) > '28' OR substr(NEW.created_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.created_at, '+0 days') IS NOT NEW.created_at)
      THEN RAISE(ABORT, 'api_keys_created_at_in_years_1_to_9999: created_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW.expires_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.expires_at < '0001' OR (NEW.expires_at IS NOT NULL AND julianday(NEW.expires_at) IS NULL)
      OR ((substr(NEW.expires_at, 9, 2) > '28' OR substr(NEW.expires_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.expires_at, '+0 days') IS NOT NEW.expires_at)
      THEN RAISE(ABORT, 'api_keys_expires_at_in_years_1_to_9999: expires_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW.revoked_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.revoked_at < '0001' OR (NEW.revoked_at IS NOT NULL AND julianday(NEW.revoked_at) IS NULL)
      OR ((substr(NEW.revoked_at, 9, 2) > '28' OR substr(NEW.revoked_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.revoked_at, '+0 days') IS NOT NEW.revoked_at)
      THEN RAISE(ABORT, 'api_keys_revoked_at_in_years_1_to_9999: revoked_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
  END;
END;
CREATE TRIGGER key_updated_checked BEFORE UPDATE OF label, permissions, rate_limit, rate_window_seconds, expires_at, revoked_at ON api_keys BEGIN
  SELECT CASE
    WHEN NEW.label IS NOT OLD.label AND NEW.label = ''
      THEN RAISE(ABORT, 'api_keys_label_not_empty: label must not be empty')
    WHEN NEW.label IS NOT OLD.label AND length(NEW.label) > 100
      THEN RAISE(ABORT, 'api_keys_label_at_most_100_characters: label must be at most 100 characters')
    WHEN NEW.label IS NOT OLD.label AND length(NEW.label) <> length(CAST(NEW.label AS BLOB)) AND instr(NEW.label, char(0))
      THEN RAISE(ABORT, 'api_keys_label_without_nul: label must not hold a NUL character')
    WHEN NEW.label IS NOT OLD.label AND ((NEW.label GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW.label, char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW.label) <> length(CAST(NEW.label AS BLOB)) AND unicode(substr(NEW.label, -1)) <> 65533
        AND char(unicode(substr(NEW.label, -1))) <> substr(NEW.label, -1)))
      THEN RAISE(ABORT, 'api_keys_label_is_utf8: label must be text in UTF-8')
    WHEN NEW.permissions IS NOT OLD.permissions AND ('|' || replace(NEW.permissions || ',', ':read,', '|') NOT GLOB '|?*|' OR '|' || replace(NEW.permissions || ',', ':read,', '|') GLOB '*[, ]*'
      OR instr(replace(NEW.permissions || ',', ':read,', '|'), '||'))
      THEN RAISE(ABORT, 'api_keys_permissions_form: permissions must be comma-separated, each such as workspace:read')
    WHEN (NEW.rate_limit, NEW.rate_window_seconds) IS NOT (OLD.rate_limit, OLD.rate_window_seconds) AND (NEW.rate_limit IS NULL) <> (NEW.rate_window_seconds IS NULL)
      THEN RAISE(ABORT, 'api_keys_rate_limit_whole: rate_limit and rate_window_seconds are both set, or neither')
    WHEN (NEW.rate_limit, NEW.rate_window_seconds) IS NOT (OLD.rate_limit, OLD.rate_window_seconds) AND NEW.rate_limit NOT BETWEEN 1 AND 1000000000
      THEN RAISE(ABORT, 'api_keys_rate_limit_in_range: rate_limit must be from 1 to 1000000000')
    WHEN (NEW.rate_limit, NEW.rate_window_seconds) IS NOT (OLD.rate_limit, OLD.rate_window_seconds) AND NEW.rate_window_seconds NOT BETWEEN 1 AND 86400
      THEN RAISE(ABORT, 'api_keys_rate_window_seconds_in_range: rate_window_seconds must be from 1 to 86400')
    WHEN NEW.expires_at IS NOT OLD.expires_at AND (NEW.expires_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.expires_at < '0001' OR (NEW.expires_at IS NOT NULL AND julianday(NEW.expires_at) IS NULL)
      OR ((substr(NEW.expires_at, 9, 2) > '28' OR substr(NEW.expires_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.expires_at, '+0 days') IS NOT NEW.expires_at))
      THEN RAISE(ABORT, 'api_keys_expires_at_in_years_1_to_9999: expires_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW.revoked_at IS NOT OLD.revoked_at AND (NEW.revoked_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.revoked_at < '0001' OR (NEW.revoked_at IS NOT NULL AND julianday(NEW.revoked_at) IS NULL)
      OR ((substr(NEW.revoked_at, 9, 2) > '28' OR substr(NEW.revoked_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.revoked_at, '+0 days') IS NOT NEW.revoked_at))
      THEN RAISE(ABORT, 'api_keys_revoked_at_in_years_1_to_9999: revoked_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
  END;
END;

-- Rows are of a workspace by its id.
CREATE TRIGGER workspace_kept BEFORE UPDATE OF id ON workspaces WHEN NEW.id <> OLD.id BEGIN
  SELECT RAISE(ABORT, 'workspaces_id_kept: a workspace keeps its id; create another workspace instead');
END;
-- A key outlives its workspace, and so does the audit log; nothing else does.
CREATE TRIGGER members_workspace_deleted AFTER DELETE ON workspaces BEGIN
  DELETE FROM members WHERE workspace_id = OLD.id;
END;
CREATE TRIGGER sources_workspace_deleted AFTER DELETE ON workspaces BEGIN
  DELETE FROM sources WHERE workspace_id = OLD.id;
END;
CREATE TRIGGER source_inserted_checked BEFORE INSERT ON sources
WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = NEW.workspace_id) BEGIN
  SELECT RAISE(ABORT, 'sources_workspace_exists: workspace_id must be the id of a workspace that exists');
END;
CREATE TRIGGER source_updated_checked BEFORE UPDATE OF workspace_id ON sources
WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = NEW.workspace_id) BEGIN
  SELECT RAISE(ABORT, 'sources_workspace_exists: workspace_id must be the id of a workspace that exists');
END;
