export { EVENT_TYPES } from "../../server/domain/events/event-type.ts";
export { V1_EVENT_TYPES } from "../../server/domain/events/event-type.ts";
