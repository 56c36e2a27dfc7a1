export { EVENT_TYPES } from "../../server/domain/event/event-type.ts";
export { V1_EVENT_TYPES } from "../../server/domain/event/event-type.ts";
